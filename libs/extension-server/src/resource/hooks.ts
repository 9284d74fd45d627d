import type { Strategy } from '@apichain/apiserver';
import type { StoredHooks } from './definition.ts';

/**
 * The strategy with the hooks of a definition. Hooks that validate run only for objects that fit their schema, so they may rely on the types
 * of its fields.
 */
export function withHooks(strategy: Strategy, hooks: StoredHooks): Strategy {
  return {
    ...strategy,
    async prepareForCreate(ctx, object) {
      await strategy.prepareForCreate?.(ctx, object);
      await hooks.prepareForCreate?.(object, ctx);
    },
    async prepareForUpdate(ctx, object, old) {
      await strategy.prepareForUpdate?.(ctx, object, old);
      if (hooks.prepareForUpdate === undefined) return;
      await hooks.prepareForUpdate(object, old, ctx);
      // The hook may have changed the status, or have made or undone the only change of the spec, which decides about the generation.
      if (old.metadata.generation === undefined) delete object.metadata.generation;
      else object.metadata.generation = old.metadata.generation;
      await strategy.prepareForUpdate?.(ctx, object, old);
    },
    async validate(ctx, object) {
      const errors = (await strategy.validate?.(ctx, object)) ?? [];
      if (errors.length > 0 || hooks.validate === undefined) return errors;
      return [...(await hooks.validate(object, ctx))];
    },
    async validateUpdate(ctx, object, old) {
      const errors = (await strategy.validateUpdate?.(ctx, object, old)) ?? [];
      if (errors.length > 0) return errors;
      if (hooks.validateUpdate !== undefined) return [...(await hooks.validateUpdate(object, old, ctx))];
      return hooks.validate === undefined ? [] : [...(await hooks.validate(object, ctx))];
    },
  };
}
