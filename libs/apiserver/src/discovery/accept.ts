import { jsonMediaType, protobufMediaType, yamlMediaType } from '../negotiation/media-types.ts';

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

const withoutProtobuf: readonly string[] = [jsonMediaType, yamlMediaType];
const withProtobuf = [...withoutProtobuf, protobufMediaType];

/**
 * The content type of aggregated discovery, if that is what the first acceptable clause by weight asks for; undefined = the
 * legacy document, or nothing that is served. Source: k8s.io/apiserver/pkg/endpoints/discovery/aggregated/wrapper.go.
 */
export function aggregatedContentType(accept: string | undefined, hasProtobuf = true): string | undefined {
  if (accept === undefined || !accept.includes('APIGroupDiscoveryList')) return undefined;
  const mediaTypes = hasProtobuf ? withProtobuf : withoutProtobuf;
  for (const { type, parameters } of clausesOf(accept)) {
    const served = ['*/*', 'application/*'].includes(type) ? jsonMediaType : type;
    if (!mediaTypes.includes(served)) continue;
    if (!parameters.has('as')) return undefined;
    const wanted =
      parameters.get('as') === 'APIGroupDiscoveryList' &&
      parameters.get('g') === 'apidiscovery.k8s.io' &&
      parameters.get('v') === 'v2';
    if (wanted) return `${served};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`;
  }
  return undefined;
}

function clausesOf(accept: string): Clause[] {
  const clauses = accept.split(',').map((text) => {
    const [type = '', ...rest] = text.split(';').map((part) => part.trim());
    const parameters = new Map<string, string>();
    for (const parameter of rest) {
      const equals = parameter.indexOf('=');
      if (equals > 0) parameters.set(parameter.slice(0, equals), parameter.slice(equals + 1));
    }
    const quality = Number(parameters.get('q') ?? '1');
    return { type, parameters, quality: Number.isNaN(quality) ? 0 : quality };
  });
  return clauses.sort((a, b) => b.quality - a.quality);
}
