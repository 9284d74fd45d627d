import type { IPAddress } from '@apichain/api/networking/v1';
import { isSet } from '@apichain/kinds';
import { field, isDNS1123Subdomain, isValidPathSegmentName, semanticEqual, type FieldError } from '@apichain/meta';
import { goValue } from '../common/go-value.ts';
import { collect, immutableDetail, optionalName, requiredName } from '../common/rules.ts';

/** The address must name its parent object. */
export function validateIpAddress(address: IPAddress): FieldError[] {
  const parent = address.spec?.parentRef;
  if (!isSet(parent)) return [field.required('spec.parentRef')];
  const { group, resource, namespace, name } = parent;
  const path = 'spec.parentRef';
  return collect((out) => {
    optionalName(out, `${path}.group`, group, isDNS1123Subdomain);
    requiredName(out, `${path}.resource`, resource, isValidPathSegmentName);
    requiredName(out, `${path}.name`, name, isValidPathSegmentName);
    optionalName(out, `${path}.namespace`, namespace, isValidPathSegmentName);
  });
}

/** The parent reference is immutable. */
export function validateIpAddressUpdate(address: IPAddress, old: IPAddress): FieldError[] {
  const parent = address.spec?.parentRef;
  if (semanticEqual(parent, old.spec?.parentRef)) return [];
  return [field.invalid('spec.parentRef', goValue('networking.k8s.io.v1.ParentReference', parent), immutableDetail)];
}
