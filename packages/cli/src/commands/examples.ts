/** Lines worth copying, by command: shown at the end of its help, and run by a test so that they stay true. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  outrigger: ['outrigger up', 'outrigger get addons', 'outrigger why hello --cluster cluster1', 'outrigger help upgrade'],
  'outrigger up': ['outrigger up', 'outrigger up --clusters 50 --data-dir fleet --detach', 'outrigger down --data-dir fleet'],
  'outrigger get': [
    'outrigger get addons',
    'outrigger get addons hello -o wide',
    'outrigger get addons --cluster cluster1',
    'outrigger get clusters --watch',
    'outrigger get revisions hello -o json',
  ],
  'outrigger why': ['outrigger why hello --cluster cluster1', 'outrigger why hello --cluster cluster1 -o json'],
  'outrigger tree': ['outrigger tree', 'outrigger tree metrics --cluster cluster1'],
  'outrigger enable': ['outrigger enable hello --cluster cluster1', 'outrigger enable hello --cluster cluster1,cluster2 --to v2'],
  'outrigger disable': ['outrigger disable hello --cluster cluster1'],
  'outrigger upgrade': ['outrigger upgrade hello --to v2', 'outrigger upgrade hello --to v2 --cluster cluster1'],
  'outrigger rollback': ['outrigger rollback hello', 'outrigger rollback hello --to-revision 1', 'outrigger rollback hello --clear'],
  'outrigger rollout': [
    'outrigger rollout status hello --watch --timeout 300',
    'outrigger rollout pause hello',
    'outrigger rollout resume hello',
    'outrigger rollout history hello',
  ],
  'outrigger render': [
    'outrigger render hello --cluster cluster1',
    'outrigger render -f examples/hello',
    'outrigger render hello --cluster cluster1 --works -o json',
  ],
  'outrigger diff': [
    'outrigger diff hello --cluster cluster1',
    'outrigger diff hello --to v2 --cluster cluster1',
    'outrigger diff --cluster cluster1 -f examples/hello/v1.yaml',
  ],
  'outrigger lint': ['outrigger lint -f examples/hello', 'outrigger lint -f examples/hello/v1.yaml'],
  'outrigger doctor': ['outrigger doctor', 'outrigger doctor --bundle support'],
  'outrigger join': [
    'outrigger join edge1 > edge1.yaml',
    'outrigger join edge1 --hub-server https://hub.example.com:6443 --cluster-context edge1 --apply',
  ],
  'outrigger accept': ['outrigger accept edge1'],
  'outrigger detach': ['outrigger detach edge1'],
  'outrigger install': [
    'outrigger install hub --image registry.example.com/outrigger:0.1.0',
    'outrigger install hub --image registry.example.com/outrigger:0.1.0 --apply',
    'outrigger install hub --crds-only --apply',
  ],
  'outrigger uninstall': ['outrigger uninstall hub', 'outrigger uninstall hub --apply'],
  'outrigger completion': ['source <(outrigger completion bash)'],
};
