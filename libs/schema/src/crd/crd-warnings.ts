import { goQuote } from '@apichain/go-text';
import { isRecognizedFormat } from '../formats.ts';
import { someSchema } from '../json-schema-props.ts';
import type { CustomResourceDefinition } from './crd-types.ts';
import { hoistSpec } from './hoisted-spec.ts';

/** Warnings for a CRD about unrecognized formats. With `old`, only new warnings. */
export function crdWarnings(crd: CustomResourceDefinition, old?: CustomResourceDefinition): string[] {
  const before = new Set(old === undefined ? [] : allWarnings(old));
  return allWarnings(crd).filter((text) => !before.has(text));
}

function allWarnings(crd: CustomResourceDefinition): string[] {
  const spec = hoistSpec(crd.spec ?? {});
  const schemas = [spec.validation, ...spec.versions.map((v) => v.schema)].map((v) => v?.openAPIV3Schema);
  const formats: string[] = [];
  for (const schema of schemas)
    someSchema(schema, (s) => {
      if (s.format && !isRecognizedFormat(s.type ?? '', s.format))
        formats.push(`unrecognized format ${goQuote(s.format)}`);
      return false;
    });
  return formats;
}
