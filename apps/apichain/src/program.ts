import { keepCompiledCode } from './compile-cache.ts';

keepCompiledCode();
// A dynamic import, so that this module is loaded through the compile cache.
await import('./cli.ts');
