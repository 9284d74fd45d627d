import {
  applyCborPatchMediaType,
  applyPatchMediaType,
  jsonPatchMediaType,
  mergePatchMediaType,
  strategicMergePatchMediaType,
  unsupportedBody,
  type WireFormats,
} from '@apichain/request';

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

const patchTypes: ReadonlyMap<string, PatchType> = new Map([
  [jsonPatchMediaType, 'json'],
  [mergePatchMediaType, 'merge'],
  [strategicMergePatchMediaType, 'strategic'],
  [applyPatchMediaType, 'apply'],
  [applyCborPatchMediaType, 'apply'],
]);

/** The patch media types that the endpoint accepts, in the order in which errors list them. `custom`: for custom resources. */
export function patchMediaTypes(custom: boolean, { hasCbor }: WireFormats): readonly string[] {
  return [
    jsonPatchMediaType,
    mergePatchMediaType,
    ...(custom ? [] : [strategicMergePatchMediaType]),
    applyPatchMediaType,
    ...(hasCbor ? [applyCborPatchMediaType] : []),
  ];
}

/** The encoding and type of a patch body. */
export interface PatchFormat {
  readonly type: PatchType;
  /** Whether the body is CBOR; otherwise it is text. */
  readonly cbor: boolean;
}

/** The patch format of a Content-Type. Throws UnsupportedMediaType if the endpoint does not accept it. */
export function patchFormat(contentType: string | undefined, custom: boolean, formats: WireFormats): PatchFormat {
  const accepted = patchMediaTypes(custom, formats);
  // Parameters are ignored, but the type must be spelled exactly.
  const [mediaType = ''] = (contentType ?? '').split(';', 1);
  const type = patchTypes.get(mediaType);
  if (type === undefined || !accepted.includes(mediaType)) throw unsupportedBody(accepted);
  return { type, cbor: mediaType === applyCborPatchMediaType };
}
