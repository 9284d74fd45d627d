import type { FieldError, KubeObject } from '@apichain/meta';
import { at, texts } from '../fields.ts';
import { finalizerErrors } from './finalizers.ts';

/** Finalizers of the namespace's content; errors name the list, not the entry. */
export const validateNamespace = (namespace: KubeObject): FieldError[] =>
  texts(at(namespace.spec, 'finalizers')).flatMap((name) => finalizerErrors('spec.finalizers', name));
