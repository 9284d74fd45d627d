import type { Strategy } from '@apichain/apiserver';
import type { FieldError, KubeObject } from '@apichain/meta';
import type { RequestContext } from '@apichain/request';
import type { StoredHooks } from './definition.ts';

/** The errors of an object that was converted to the storage version; none for requests in that version, which are validated anyway. */
export type Fits = (ctx: RequestContext, object: KubeObject) => FieldError[];

/**
 * The strategy with the hooks of a definition. Hooks that validate run only for objects that fit the schemas of the request's version and of
 * the storage version, so they may rely on the types of the fields.
 */
export function withHooks(strategy: Strategy, hooks: StoredHooks, fits: Fits): Strategy {
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
      const given = (await strategy.validate?.(ctx, object)) ?? [];
      const errors = given.length > 0 ? given : fits(ctx, object);
      if (errors.length > 0 || hooks.validate === undefined) return errors;
      return [...(await hooks.validate(object, ctx))];
    },
    async validateUpdate(ctx, object, old) {
      const given = (await strategy.validateUpdate?.(ctx, object, old)) ?? [];
      const errors = given.length > 0 ? given : fits(ctx, object);
      if (errors.length > 0) return errors;
      if (hooks.validateUpdate !== undefined) return [...(await hooks.validateUpdate(object, old, ctx))];
      return hooks.validate === undefined ? [] : [...(await hooks.validate(object, ctx))];
    },
  };
}
