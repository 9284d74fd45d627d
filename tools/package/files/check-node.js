// The first import of each library module, so that an old Node says what it is instead of failing on what it does not know.
import { problem } from './node-version.js';

if (problem !== undefined) throw new Error(problem);
