import { keepCompiledCode } from './compile-cache.ts';
import { holdCompilers } from './up/heap.ts';

keepCompiledCode();
holdCompilers();
// A dynamic import, so that this module is loaded through the compile cache.
await import('./cli.ts');
