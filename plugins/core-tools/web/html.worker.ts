import { parentPort, workerData } from 'node:worker_threads';
import { renderHtml } from './render-html.ts';

const { html, url }: { html: string; url: string } = workerData;
parentPort?.postMessage(renderHtml(html, url));
