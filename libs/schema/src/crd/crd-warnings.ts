import { goQuote } from '@apichain/meta';
import { isRecognizedFormat } from '../formats.ts';
import { itemsSchema, someSchema, type JsonSchemaProps } from '../json-schema-props.ts';
import type { CustomResourceDefinition } from './crd-types.ts';
import { hoistSpec } from './hoisted-spec.ts';

/** Warnings for a CRD: formats nobody checks, sets that apply cannot merge. With `old`, only those that are new. */
export function crdWarnings(crd: CustomResourceDefinition, old?: CustomResourceDefinition): string[] {
  const before = new Set(old === undefined ? [] : allWarnings(old));
  return allWarnings(crd).filter((text) => !before.has(text));
}

function allWarnings(crd: CustomResourceDefinition): string[] {
  const spec = hoistSpec(crd.spec ?? {});
  const schemas = [spec.validation, ...spec.versions.map((v) => v.schema)].map((v) => v?.openAPIV3Schema);
  const formats: string[] = [];
  const sets = new Set<string>();
  for (const schema of schemas)
    someSchema(schema, (s) => {
      if (s.format && !isRecognizedFormat(s.type ?? '', s.format))
        formats.push(`unrecognized format ${goQuote(s.format)}`);
      const items = setItemsType(s);
      if (items !== undefined)
        sets.add(
          `x-kubernetes-list-type: set for items of type ${goQuote(items)} is not supported by server-side apply or CEL validation rules`,
        );
      return false;
    });
  return [...formats, ...[...sets].sort()];
}

function setItemsType(schema: JsonSchemaProps): string | undefined {
  const type = schema['x-kubernetes-list-type'] === 'set' ? itemsSchema(schema)?.type : undefined;
  return type === 'object' || type === 'array' ? type : undefined;
}
