import { describeWholeStory } from './story.js';

describeWholeStory({ hub: 'embedded', cluster: 'embedded' });
