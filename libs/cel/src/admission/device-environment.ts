import { quantityType } from '../library/kubernetes.ts';
import * as types from '../types.ts';
import { declaredName, type CelType } from '../types.ts';
import { objectType, type ExpressionEnvironment } from './environment.ts';

const { string, bool, dyn } = types;
const byDomain = (value: CelType): CelType => types.map(string, types.map(string, value));

/** What selectors of devices see. After k8s.io/dynamic-resource-allocation/cel. */
export const deviceEnvironment: ExpressionEnvironment = {
  variables: new Map([
    [
      'device',
      objectType('kubernetes.DRADevice', {
        driver: string,
        attributes: byDomain(dyn),
        capacity: byDomain(quantityType),
        allowMultipleAllocations: bool,
      }),
    ],
  ]),
};

/** For `compileExpression`: a bool, or an attribute that may be one. */
export const deviceSelectorResult = (type: CelType): string | undefined =>
  type.kind === 'bool' || type.kind === 'dyn'
    ? undefined
    : `must evaluate to bool or the unknown type, not ${declaredName(type)}`;
