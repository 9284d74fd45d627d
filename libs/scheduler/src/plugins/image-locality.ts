import type { Pod } from '@apichain/api/core/v1';
import { type Plugin, maxNodeScore } from '../framework/plugin.ts';

const mebibyte = 1024 * 1024;
const minSize = 23 * mebibyte;
const maxSizePerContainer = 1000 * mebibyte;

/** The name of an image with its tag. */
const withTag = (name: string) => (name.lastIndexOf(':') <= name.lastIndexOf('/') ? `${name}:latest` : name);

function imagesOf({ spec }: Pod): readonly string[] {
  const { initContainers = [], containers, volumes = [] } = spec ?? {};
  const ofContainers = [...initContainers, ...(containers ?? [])].map(({ image = '' }) => image);
  const ofVolumes = volumes.flatMap(({ image }) => (image === undefined ? [] : [image.reference ?? '']));
  return [...ofContainers, ...ofVolumes].map(withTag);
}

/** Prefers nodes that have the images of the pod, by their size. An image that few nodes have counts less, so that it does not draw all its pods to them. */
export const imageLocality: Plugin = {
  name: 'ImageLocality',
  preScore: ({ pod }, _, { images, nodes }) => {
    const names = imagesOf(pod);
    const { initContainers = [], containers } = pod.spec ?? {};
    const maxSize = maxSizePerContainer * (initContainers.length + (containers ?? []).length);
    const all = nodes.length;
    return {
      score: ({ name: node }) => {
        let size = 0;
        for (const name of names) {
          const image = images.onNode(name, node);
          if (image !== undefined) size += Math.trunc(image.size * (image.nodes / all));
        }
        const counted = Math.max(minSize, Math.min(maxSize, size));
        return Math.trunc((maxNodeScore * (counted - minSize)) / (maxSize - minSize));
      },
    };
  },
};
