import { keepCompiledCode } from './compile-cache.ts';

keepCompiledCode();
// Imported only now, so that it comes from the cache.
await import('./cli.ts');
