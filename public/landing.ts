import type { ModelInfo } from '../lib/wire/model.ts';
import type { PluginInfo } from '../lib/wire/plugin.ts';
import type { ToolSchema } from '../lib/wire/tool.ts';

interface Bootstrap {
  name: string;
  version: string;
  protocol: string;
  models: ModelInfo[];
  tools: ToolSchema[];
  plugins: PluginInfo[];
}

interface Caller {
  mode: string;
  tenant: { id: string };
}

const base = new URL('api/', document.baseURI);
const tokenKey = 'service.token';

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no element "${id}"`);
  return found;
}

function say(id: string, text: string): void {
  element(id).textContent = text;
  element(id).hidden = text === '';
}

async function get<T>(path: string): Promise<{ status: number; body?: T }> {
  const token = sessionStorage.getItem(tokenKey);
  const response = await fetch(new URL(path, base), token ? { headers: { authorization: `Bearer ${token}` } } : {});
  return response.ok ? { status: response.status, body: (await response.json()) as T } : { status: response.status };
}

function showCommands(withToken: boolean): void {
  const header = withToken ? ' -H "authorization: Bearer $TOKEN"' : '';
  const root = base.href.replace(/\/$/, '');
  say(
    'commands',
    [
      `base=${root}`,
      `id=$(curl -s${header} -X POST $base/sessions | sed 's/.*"id":"\\(ses_[^"]*\\)".*/\\1/')`,
      `curl -sN${header} "$base/sessions/$id/events?lastEventId=0" &`,
      `curl -s${header} -X POST $base/sessions/$id/messages -d '{"content":"list files"}'`,
    ].join('\n'),
  );
}

function showFacts({ models, tools, plugins, version, protocol }: Bootstrap, caller: Caller | undefined): void {
  const facts: [string, string][] = [
    ['Version', `${version}, protocol ${protocol}`],
    ['Models', models.map((model) => model.label ?? model.id).join(', ') || 'none: configure a provider plugin'],
    [
      'Tools',
      tools.map((tool) => (tool.permission === 'ask' ? `${tool.name} (asks)` : tool.name)).join(', ') || 'none',
    ],
    [
      'Plugins',
      plugins
        .map((plugin) => (plugin.state === 'active' ? plugin.id : `${plugin.id} (${plugin.error ?? plugin.state})`))
        .join(', ') || 'none',
    ],
    ['Tenant', caller ? `${caller.tenant.id} (authentication: ${caller.mode})` : ''],
  ];
  element('facts').replaceChildren(
    ...facts.flatMap(([term, text]) => {
      const name = document.createElement('dt');
      const value = document.createElement('dd');
      name.textContent = term;
      value.textContent = text;
      return [name, value];
    }),
  );
  element('about').hidden = false;
}

async function show(): Promise<void> {
  const health = await get<{ name: string; uptimeMs: number; sessions: number }>('health');
  if (!health.body) return say('state', `The service answers ${health.status}.`);
  const { name, uptimeMs, sessions } = health.body;
  say('name', name);
  document.title = name;
  say('state', `Running for ${Math.round(uptimeMs / 1000)} s, ${sessions} ${sessions === 1 ? 'session' : 'sessions'}.`);
  const bootstrap = await get<Bootstrap>('bootstrap');
  element('access').hidden = bootstrap.status !== 401;
  showCommands(bootstrap.status === 401 || sessionStorage.getItem(tokenKey) !== null);
  if (!bootstrap.body) return;
  const caller = (await get<Caller>('auth/me')).body;
  showFacts(bootstrap.body, caller);
  const open = caller?.mode === 'none' && !['localhost', '127.0.0.1', '[::1]'].includes(location.hostname);
  say(
    'warning',
    open
      ? 'Anyone who reaches this address can run agents here: no authentication is configured. Set server.token.'
      : '',
  );
}

element('sign-in').addEventListener('submit', (event) => {
  event.preventDefault();
  const input = element('token');
  if (input instanceof HTMLInputElement) sessionStorage.setItem(tokenKey, input.value);
  void show();
});

element('copy').addEventListener('click', () => {
  const selection = getSelection();
  selection?.selectAllChildren(element('commands'));
  void navigator.clipboard?.writeText(element('commands').textContent ?? '');
});

show().catch((error: unknown) => say('state', `The service did not answer: ${String(error)}`));
