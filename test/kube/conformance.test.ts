import { conformance } from '../conformance/index.js';
import { sharedKube } from './connect.js';

conformance('kube-apiserver', sharedKube);
