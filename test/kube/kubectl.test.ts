import { kubectlJourneys } from '../kubectl/journeys.js';
import { startRealServer } from './connect.js';

kubectlJourneys('kube-apiserver', startRealServer);
