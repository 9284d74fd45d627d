import { createRequire } from 'node:module';
import { lazy } from '@apichain/meta';
import type * as Undici from 'undici';

const require = createRequire(import.meta.url);

/** Loads undici on the first connection: a server that connects only to itself does not need it. */
export const httpLibrary = lazy(() => require('undici') as typeof Undici);
