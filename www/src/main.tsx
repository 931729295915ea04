import './base/theme.css';
import './base/page.css';
import { render } from 'solid-js/web';
import { App } from './App.tsx';

const host = document.getElementById('app');
if (host) render(() => <App />, host);
