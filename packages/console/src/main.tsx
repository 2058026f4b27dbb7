import { render } from 'preact';
import { startRouter } from './address/router.js';
import { App } from './app.js';
import { startLive } from './data/live.js';
import { readSession } from './data/session.js';

const place = document.getElementById('app');
if (place === null) throw new Error('the page has no place for the app');
startRouter();
startLive();
readSession();
render(<App />, place);
