import { kubectlJourneys } from '../kubectl/journeys.js';
import { sharedKube } from './connect.js';

kubectlJourneys('kube-apiserver', sharedKube);
