import { conformance } from '../conformance/index.js';
import { startRealServer } from './connect.js';

conformance('kube-apiserver', startRealServer);
