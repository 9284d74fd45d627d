export type OpenApiForm = 'json' | 'protobuf';

/** The representation that an Accept header requests, or undefined when it accepts neither. */
export function openApiForm(accept: string | undefined, version: 'v2' | 'v3'): OpenApiForm | undefined {
  const header = accept === undefined || accept.trim() === '' ? '*/*' : accept;
  for (const type of sortedTypes(header)) {
    if (type === '*/*' || type === 'application/*' || type === 'application/json') return 'json';
    if (type === `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`) return 'protobuf';
    if (type === `application/com.github.proto-openapi.spec.${version}@v1.0+protobuf`) return 'protobuf';
  }
  return undefined;
}

export const openApiContentType = (form: OpenApiForm, version: 'v2' | 'v3'): string =>
  form === 'json' ? 'application/json' : `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`;

function sortedTypes(header: string): string[] {
  const clauses = header.split(',').map((text) => {
    const [type = '', ...parameters] = text.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return { type, quality: weight === undefined ? 1 : Number(weight.slice(2)) };
  });
  return clauses.sort((a, b) => b.quality - a.quality).map(({ type }) => type);
}
