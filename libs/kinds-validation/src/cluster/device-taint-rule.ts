import type {
  DeviceTaintRule,
  PoolStatus,
  ResourcePoolStatusRequest,
  ResourcePoolStatusRequestSpec,
  ResourcePoolStatusRequestStatus,
} from '@apichain/api/resource/v1alpha3';
import {
  byteLength,
  field,
  isDNS1123Label,
  isDNS1123SubdomainBytes,
  isQualifiedName,
  isValidLabelValue,
  type FieldError,
} from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { conditionErrors } from '../common/conditions.ts';
import {
  atMost,
  type Checked,
  declaredErrors,
  each,
  given,
  immutableField,
  longName,
  maxBytes,
  maximum,
  members,
  minimum,
  optional,
  optionalPointer,
  required,
  unique,
} from '../common/declarative.ts';
import { csiDriverName } from '../common/formats.ts';
import { goValue } from '../common/go-value.ts';
import { checkEach, collect, immutable, invalidEach, optionalName, requiredChoice } from '../common/rules.ts';
import { poolName } from './resource-claim-status.ts';

/* Device taints that are not set by the driver, and requests for the status of pools. After pkg/apis/resource/validation of kubernetes 1.36. */

const effects = ['NoExecute', 'NoSchedule', 'None'];
const mostConditions = 8;

/** https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/#device-taints-and-tolerations */
export function validateDeviceTaintRule(rule: DeviceTaintRule, old?: DeviceTaintRule): FieldError[] {
  return collect((out) => {
    const { driver, pool, device } = rule.spec?.deviceSelector ?? {};
    if (isSet(driver)) csiDriverName(out, 'spec.deviceSelector.driver', driver);
    if (isSet(pool)) poolName(out, 'spec.deviceSelector.pool', pool);
    if (isSet(device)) invalidEach(out, 'spec.deviceSelector.device', device, isDNS1123Label(device));
    const { key = '', value, effect } = rule.spec?.taint ?? {};
    invalidEach(out, 'spec.taint.key', key, isQualifiedName(key));
    optionalName(out, 'spec.taint.value', value, isValidLabelValue);
    const before = old?.spec?.taint?.effect;
    if (old === undefined || before !== effect) requiredChoice(out, 'spec.taint.effect', effect, effects);
  });
}

export const validateDeviceTaintRuleStatus = (rule: DeviceTaintRule): FieldError[] =>
  collect((out) => {
    const conditions = rule.status?.conditions ?? [];
    conditionErrors(out, 'status.conditions', conditions);
    const { length } = conditions;
    if (length > mostConditions) out.push(field.tooMany('status.conditions', length, mostConditions));
  });

const longestPoolName = 253;

function segments({ out, path, value }: Checked<string>): void {
  const name = value ?? '';
  if (byteLength(name) > longestPoolName) out.push(field.tooLong(path, longestPoolName));
  checkEach(out, name.split('/'), (out, segment, i) => {
    if (segment === '') out.push(field.invalid(path, name, `segment ${i}: must not be empty`));
    else {
      const messages = isDNS1123SubdomainBytes(segment).map((message) => `segment ${i}: ${message}`);
      invalidEach(out, path, segment, messages);
    }
  });
}

/** Like a subdomain, but case-insensitive; the regular expression in the message is the lower-case one. */
function caselessName({ out, path, value }: Checked<string>): void {
  const name = value ?? '';
  const messages = isDNS1123SubdomainBytes(name.toLowerCase()).map((message) =>
    message
      .replace('a lowercase RFC 1123 subdomain', 'an RFC 1123 subdomain')
      .replace('lower case alphanumeric', 'alphanumeric')
      .replace("'example.com'", "'Example.com'"),
  );
  invalidEach(out, path, name, messages);
}

const count = { first: [optionalPointer], then: [minimum(0)] };

const poolStatus = members<PoolStatus>({
  driver: { first: [required], then: [caselessName] },
  poolName: { first: [required], then: [segments] },
  generation: { first: [required], then: [minimum(0)] },
  resourceSliceCount: { first: [optionalPointer], then: [minimum(1)] },
  totalDevices: count,
  allocatedDevices: count,
  availableDevices: count,
  unavailableDevices: count,
  nodeName: { first: [optionalPointer], then: [longName] },
  validationError: { first: [optionalPointer], then: [maxBytes(256)] },
});

const poolStatusRequest = members<ResourcePoolStatusRequest>({
  spec: {
    first: [immutableField],
    then: [
      members<ResourcePoolStatusRequestSpec>({
        driver: { first: [required], then: [caselessName] },
        poolName: { first: [optionalPointer], then: [segments] },
        limit: { first: [given], then: [maximum(1000), minimum(1)] },
      }),
    ],
  },
  status: {
    first: [optionalPointer],
    then: [
      members<ResourcePoolStatusRequestStatus>({
        poolCount: { first: [given], then: [minimum(0)] },
        pools: { first: [atMost(1000), optional], then: [each(poolStatus)] },
        conditions: { first: [atMost(10), optional], then: [unique('type')] },
      }),
    ],
  },
});

export const validatePoolStatusRequest = (
  request: ResourcePoolStatusRequest,
  old?: ResourcePoolStatusRequest,
): FieldError[] => declaredErrors(poolStatusRequest, request, old);

/** The status of a request can be set only once. */
export function validatePoolStatus(request: ResourcePoolStatusRequest, old: ResourcePoolStatusRequest): FieldError[] {
  const { status } = request;
  return [
    ...collect((out) => {
      if (isSet(old.status)) {
        const shown = goValue('resource.k8s.io.v1alpha3.ResourcePoolStatusRequestStatus', status);
        immutable(out, 'status', status, old.status, shown);
      } else conditionErrors(out, 'status.conditions', status?.conditions);
    }),
    ...declaredErrors(poolStatusRequest, request, old),
  ];
}
