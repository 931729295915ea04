import './base/theme.css';
import './base/page.css';
import './panels/frame.css';
import './panels/scenario.css';
import './panels/inspector.css';
import './panels/transport.css';
import './panels/over.css';
import { render } from 'solid-js/web';
import { App } from './App.tsx';
import './panels/narrow.css';

const host = document.getElementById('app');
if (host) render(() => <App />, host);
