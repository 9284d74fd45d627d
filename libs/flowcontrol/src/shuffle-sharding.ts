import { createHash } from 'node:crypto';

/** A 64-bit hash of a flow, the same in every server of a cluster. */
export function hashFlow(flowSchema: string, distinguisher: string): bigint {
  const digest = createHash('sha256').update(flowSchema).update('\0').update(distinguisher).digest();
  return digest.readBigUInt64LE(0);
}

/**
 * Deals `handSize` different cards out of `deckSize`, evenly distributed over all hands, with the hash as the source of randomness. The hands of
 * two flows rarely share more than a few queues: https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#queuing
 */
export function deal(hash: bigint, deckSize: number, handSize: number): number[] {
  const remainders: number[] = [];
  let rest = hash;
  for (let i = 0; i < handSize; i++) {
    const left = BigInt(deckSize - i);
    remainders.push(Number(rest % left));
    rest /= left;
  }
  // A remainder is an index into the remaining cards, so it moves up past each card that was dealt before.
  return remainders.map((remainder, i) => {
    let card = remainder;
    for (let j = i - 1; j >= 0; j--) if (card >= (remainders[j] ?? 0)) card++;
    return card;
  });
}
