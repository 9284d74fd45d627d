import { join } from 'node:path';
import { runCommand } from './prepared.ts';

await runCommand(join(import.meta.dirname, '../../..'));
