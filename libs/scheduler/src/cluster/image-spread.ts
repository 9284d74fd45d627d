import type { Node } from '@apichain/api/core/v1';
import { integer } from '@apichain/meta';

interface Image {
  readonly size: number;
  readonly nodes: Set<string>;
}

/** Which container images are on which nodes. */
export class ImageSpread {
  readonly #images = new Map<string, Image>();

  add({ metadata, status }: Node): void {
    const { name: node = '' } = metadata;
    for (const { names, sizeBytes } of status?.images ?? [])
      for (const name of names ?? []) {
        let image = this.#images.get(name);
        if (image === undefined) this.#images.set(name, (image = { size: integer(sizeBytes), nodes: new Set() }));
        image.nodes.add(node);
      }
  }

  remove({ metadata, status }: Node): void {
    for (const { names } of status?.images ?? [])
      for (const name of names ?? []) {
        const image = this.#images.get(name);
        image?.nodes.delete(metadata.name ?? '');
        if (image?.nodes.size === 0) this.#images.delete(name);
      }
  }

  /** The size in bytes of an image, and on how many nodes it is; undefined if it is not on this node. */
  onNode(image: string, node: string): { readonly size: number; readonly nodes: number } | undefined {
    const known = this.#images.get(image);
    return known?.nodes.has(node) === true ? { size: known.size, nodes: known.nodes.size } : undefined;
  }
}
