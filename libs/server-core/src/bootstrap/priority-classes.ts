import { systemPriorityClasses } from '@apichain/component-helpers';
import { ensure, type BootstrapContext } from './context.ts';

export async function ensurePriorityClasses({ client }: BootstrapContext): Promise<void> {
  const ref = { group: 'scheduling.k8s.io', version: 'v1', resource: 'priorityclasses' };
  for (const { name, value, description } of systemPriorityClasses) {
    await ensure(client, ref, {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value,
      description,
    });
  }
}
