import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A web site with everything that makes browsing hard, on a port of its own. */
export interface Site {
  /** On 127.0.0.1, without a slash at the end. */
  url: string;
  /** The same site under another name, which is another origin. */
  otherUrl: string;
  port: number;
  /** Method and path of every request so far. */
  requests: string[];
  close(): Promise<void>;
}

type Page = (self: Site) => string;

const pages: Record<string, Page> = {
  '/': () => `<title>Home</title><h1>Welcome</h1><a href="/form">The form</a> <a href="/new" target="_blank">New window</a>
    <p style="display:none">invisible words</p><button disabled>Later</button>
    <button onclick="document.body.append('clicked!')">Press</button>`,
  '/form': () => `<title>Form</title><form action="/sent"><label>Name <input name="name" value="Bob"></label>
    <input type="password" name="secret" value="hunter2" placeholder="Secret"><label>Size <select name="size"><option>Small</option><option>Large</option></select></label>
    <label><input type="checkbox" name="agree"> I agree</label><button>Send</button></form>`,
  '/frames': ({ otherUrl }) =>
    `<title>Frames</title><p>outer</p><iframe src="/inner"></iframe><iframe src="${otherUrl}/inner"></iframe>`,
  '/inner': () => '<p>inner words</p><button onclick="this.textContent=\'done\'">Inside</button>',
  '/dialogs': () =>
    '<title>Dialogs</title><script>alert("first"); document.title = "confirmed: " + confirm("Really?"); prompt("Your name")</script>text',
  '/alerts': () => '<title>Alerts</title><script>for(;;) alert("again")</script>',
  '/loop': () => '<title>Loop</title><p>words</p><button onclick="for(;;);">Hang</button>',
  '/popups': () => '<title>Popups</title><script>for (let n = 0; n < 5; n++) open("/new?" + n)</script>main page',
  '/new': () => '<title>New</title>new window',
  '/offer': () => '<title>Offer</title><a href="/file">Download</a>',
  '/long': () => `<title>Long</title><p>${'word '.repeat(40_000)}</p>${'<a href="#">x</a>'.repeat(3_000)}`,
  '/growing': () =>
    '<title>Growing</title><script>setInterval(() => document.body.append("more words ".repeat(100)), 20)</script>start',
  '/cookie': () =>
    '<title>Cookie</title><p>cookies: </p><script>document.cookie="who=me"; document.body.append(document.cookie)</script>',
  '/hidden': () => '<title>Hidden</title><p>a\u202eb\u{e0041}c</p>',
  '/file-link': () =>
    '<title>Local</title><a href="file:///etc/passwd">Passwords</a><iframe src="file:///etc/passwd"></iframe>',
};

/** @param more pages of one test, by path */
export async function startSite(more: Record<string, Page> = {}): Promise<Site> {
  const server = createServer((request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?');
    site.requests.push(`${request.method} ${request.url}`);
    const location = /^\/to\?(.*)$/.exec(request.url ?? '')?.[1];
    if (location !== undefined) return void response.writeHead(302, { location: decodeURIComponent(location) }).end();
    if (path === '/sent') return void response.end(`<title>Sent</title>got ${decodeURIComponent(request.url ?? '')}`);
    if (path === '/file')
      return void response
        .writeHead(200, { 'content-disposition': 'attachment; filename="bill.pdf"', 'content-type': 'application/pdf' })
        .end('%PDF');
    if (path === '/endless') {
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .write(`<title>Endless</title><p>beginning</p>${' '.repeat(2_000)}`);
      const timer = setInterval(() => response.write('<p>more</p>'), 20);
      return void response.on('close', () => clearInterval(timer));
    }
    if (path === '/silent') return undefined;
    const page = more[path] ?? pages[path];
    if (!page) return void response.writeHead(404).end('Nothing here');
    return void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page(site));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const site: Site = {
    url: `http://127.0.0.1:${port}`,
    otherUrl: `http://localhost:${port}`,
    port,
    requests: [],
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return site;
}
