import {
  applyCborPatchMediaType,
  applyPatchMediaType,
  jsonPatchMediaType,
  mergePatchMediaType,
  servesCbor,
  strategicMergePatchMediaType,
  unsupportedBody,
} from '@apichain/request';

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

const patchTypes: ReadonlyMap<string, PatchType> = new Map([
  [jsonPatchMediaType, 'json'],
  [mergePatchMediaType, 'merge'],
  [strategicMergePatchMediaType, 'strategic'],
  [applyPatchMediaType, 'apply'],
  [applyCborPatchMediaType, 'apply'],
]);

/** Media types of patches that the endpoint takes, in the order in which errors list them. `custom`: of custom resources. */
export function patchMediaTypes(custom: boolean): readonly string[] {
  return [
    jsonPatchMediaType,
    mergePatchMediaType,
    ...(custom ? [] : [strategicMergePatchMediaType]),
    applyPatchMediaType,
    ...(servesCbor() ? [applyCborPatchMediaType] : []),
  ];
}

/** How a client sends a patch. */
export interface PatchFormat {
  readonly type: PatchType;
  /** The body is CBOR, else text. */
  readonly cbor: boolean;
}

/** The format that a Content-Type stands for. Throws UnsupportedMediaType for one that the endpoint does not take. */
export function patchFormat(contentType: string | undefined, custom: boolean): PatchFormat {
  const accepted = patchMediaTypes(custom);
  // Parameters do not matter here, whatever they are; how the type is written does.
  const [mediaType = ''] = (contentType ?? '').split(';', 1);
  const type = patchTypes.get(mediaType);
  if (type === undefined || !accepted.includes(mediaType)) throw unsupportedBody(accepted);
  return { type, cbor: mediaType === applyCborPatchMediaType };
}
