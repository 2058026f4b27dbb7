import { describeWholeStory } from '../integration/identity/story.js';

describeWholeStory({ hub: 'kube', cluster: 'kube' });
