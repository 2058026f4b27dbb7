export { predictionsDue, withPrediction } from './prediction.js';
export type { PredictedEnd, PredictionRequest } from './prediction.js';
export { slip } from './slip.js';
