import { acceptClauses } from '@apichain/request';
import { jsonMediaType, protobufMediaType, yamlMediaType } from '@apichain/request';

const withoutProtobuf: readonly string[] = [jsonMediaType, yamlMediaType];
const withProtobuf = [...withoutProtobuf, protobufMediaType];

/**
 * The content type of aggregated discovery, if any clause of the Accept header requests it. Clauses without the discovery
 * parameters are ignored, whatever their weight. Undefined = the legacy document.
 * Source: k8s.io/apiserver/pkg/endpoints/discovery/aggregated/wrapper.go.
 */
export function aggregatedContentType(accept: string | undefined, hasProtobuf = true): string | undefined {
  if (accept === undefined || !accept.includes('APIGroupDiscoveryList')) return undefined;
  const mediaTypes = hasProtobuf ? withProtobuf : withoutProtobuf;
  for (const { type, subtype, parameters } of acceptClauses(accept)) {
    const any = subtype === '*' && (type === '*' || type === 'application');
    const served = any ? jsonMediaType : `${type}/${subtype}`;
    const wanted =
      parameters.get('as') === 'APIGroupDiscoveryList' &&
      parameters.get('g') === 'apidiscovery.k8s.io' &&
      parameters.get('v') === 'v2';
    if (wanted && mediaTypes.includes(served)) return `${served};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`;
  }
  return undefined;
}
