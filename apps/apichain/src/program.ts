import { keepCompiledCode } from './compile-cache.ts';
import { holdHeapFor } from './up/heap.ts';

holdHeapFor(process.argv.slice(2));
keepCompiledCode();
// A dynamic import, so that this module is loaded through the compile cache.
await import('./cli.ts');
