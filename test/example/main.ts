import { fixTheTest } from './fix-the-test.ts';

await fixTheTest({ print: (line) => console.log(line) });
