import { keepCompiledCode } from './compile-cache.ts';
import { holdHeap } from './up/heap.ts';

keepCompiledCode();
holdHeap();
// A dynamic import, so that this module is loaded through the compile cache.
await import('./cli.ts');
