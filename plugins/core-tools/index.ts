import { definePlugin } from '../../lib/plugin-api/index.ts';
import { createEditFile } from './files/edit-file.ts';
import { createListFiles } from './files/list-files.ts';
import { createReadFile } from './files/read-file.ts';
import { createWriteFile } from './files/write-file.ts';
import { CoreToolsOptions } from './options.ts';
import { createFindFiles } from './search/find-files.ts';
import { createSearchFiles } from './search/search-files.ts';
import { createShell } from './shell/shell.ts';
import { createWebReach } from './web/reach.ts';
import { createWebFetch } from './web/web-fetch.ts';

/** The tools that every agent needs: files, search, a shell and the web. */
export default definePlugin<CoreToolsOptions>({
  options: CoreToolsOptions,
  apply({ options: configured, plugin, use, provide, log, onDispose }) {
    const { register } = use('tools');
    const info = use('service.info');
    const options = info.authMode === 'accounts' ? { ...configured, restrictToWorkspace: true } : configured;
    if (!configured.restrictToWorkspace && options.restrictToWorkspace)
      log.warn('restrictToWorkspace stays on in mode accounts: tenants must not read the files of each other.');
    register(createReadFile(options));
    register(createWriteFile(options));
    register(createEditFile(options));
    register(createListFiles(options));
    register(createFindFiles(options, plugin.directory));
    register(createSearchFiles(options, plugin.directory));
    register(createWebFetch(options, { info, directory: plugin.directory }));
    provide('web.reach', createWebReach(options, info));
    const shell = createShell(options, { info, log });
    register(shell.tool);
    onDispose(shell.close);
    // Later: only a command waits for it, and the start of the service has better things to do.
    const strays = setTimeout(shell.endStrays, 1_000).unref();
    onDispose(() => clearTimeout(strays));
  },
});
