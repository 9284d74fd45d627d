import type { RuntimeClass } from '@apichain/api/node/v1';
import { field, isDNS1123Label, type FieldError } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { goValue } from '../common/go-value.ts';
import { containerResourceName, resourceListErrors } from '../common/resources.ts';
import { checkEach, collect, immutable, labelMap, requiredName } from '../common/rules.ts';
import { tolerationListErrors } from '../pod/scheduling.ts';

/** https://kubernetes.io/docs/concepts/containers/runtime-class/ */
export function validateRuntimeClass(runtimeClass: RuntimeClass): FieldError[] {
  return collect((out) => {
    requiredName(out, 'handler', runtimeClass.handler, isDNS1123Label);
    const overhead = runtimeClass.overhead?.podFixed;
    if (isSet(overhead)) resourceListErrors(out, 'overhead', { limits: overhead }, containerResourceName);
    if (!isSet(runtimeClass.scheduling)) return;
    const { nodeSelector, tolerations } = runtimeClass.scheduling ?? {};
    labelMap(out, 'scheduling.nodeSelector', nodeSelector);
    const path = 'scheduling.tolerations';
    tolerationListErrors(out, path, tolerations);
    const seen = new Set<string>();
    checkEach(out, tolerations ?? [], (out, toleration, i) => {
      const { key, operator, value, effect } = toleration;
      const identity = JSON.stringify([key, operator, value, effect]);
      if (seen.has(identity)) out.push(field.duplicate(`${path}[${i}]`, goValue('core.v1.Toleration', toleration)));
      seen.add(identity);
    });
  });
}

export const validateRuntimeClassUpdate = (runtimeClass: RuntimeClass, old: RuntimeClass): FieldError[] =>
  collect((out) => immutable(out, 'handler', runtimeClass.handler, old.handler));
