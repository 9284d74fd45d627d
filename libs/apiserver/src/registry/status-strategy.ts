import type { KubeObject } from '@apichain/meta';
import type { Strategy } from './strategy.ts';

/**
 * The strategy of a plain /status: takes status and metadata from the request, everything else from the stored object. Kinds with
 * other rules for their status provide a different strategy.
 */
export function defaultStatusStrategy(strategy: Strategy): Strategy {
  const { shouldDeleteDuringUpdate, canonicalize } = strategy;
  return {
    namespaceScoped: strategy.namespaceScoped,
    validateName: strategy.validateName,
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: strategy.allowUnconditionalUpdate,
    prepareForUpdate: (_ctx, object: KubeObject, old: KubeObject) => {
      for (const name of Object.keys(object)) if (!requested.has(name)) delete object[name];
      for (const [name, value] of Object.entries(old)) if (!requested.has(name)) object[name] = value;
    },
    shouldDeleteDuringUpdate,
    canonicalize,
    resetFields: {},
  };
}

const requested: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);
