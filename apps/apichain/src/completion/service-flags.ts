import { kubeCoreFlags } from '@apichain/server-core';
import type { Flag } from '../commands/command.ts';

/** The flags of kube-apiserver that `apichain up` accepts and that have an effect. In a separate module, because it imports the services. */
export const serviceFlags: readonly Flag[] = kubeCoreFlags
  .filter(({ effectIn }) => effectIn === undefined)
  .map(({ name, usage, type }) => ({ name, summary: usage, ...(type === 'bool' ? {} : { value: 'VALUE' }) }));
