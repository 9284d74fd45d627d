import { kubeCoreFlags } from '@apichain/server-core';
import type { Flag } from '../commands/command.ts';

/** The flags of kube-apiserver that `apichain up` takes and that have an effect. A module of its own: the services come with it. */
export const serviceFlags: readonly Flag[] = kubeCoreFlags
  .filter(({ ignored }) => ignored !== true)
  .map(({ name, usage, type }) => ({ name, summary: usage, ...(type === 'bool' ? {} : { value: 'VALUE' }) }));
