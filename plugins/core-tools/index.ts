import { definePlugin } from '../../lib/plugin-api/index.ts';
import { createEditFile } from './files/edit-file.ts';
import { createListFiles } from './files/list-files.ts';
import { createReadFile } from './files/read-file.ts';
import { createWriteFile } from './files/write-file.ts';
import { CoreToolsOptions } from './options.ts';
import { createFindFiles } from './search/find-files.ts';
import { createSearchFiles } from './search/search-files.ts';

/** The tools that every agent needs: files, search, a shell and the web. */
export default definePlugin<CoreToolsOptions>({
  options: CoreToolsOptions,
  apply({ options, plugin, use }) {
    const { register } = use('tools');
    register(createReadFile(options));
    register(createWriteFile(options));
    register(createEditFile(options));
    register(createListFiles(options));
    register(createFindFiles(options, plugin.directory));
    register(createSearchFiles(options, plugin.directory));
  },
});
