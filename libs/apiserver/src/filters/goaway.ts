import { closeSession } from './close-session.ts';
import type { Filter } from '@apichain/request';

/** `--goaway-chance`: ends an HTTP/2 connection now and then, so that its client comes back by way of the load balancer. */
export function goaway(chance: number, random: () => number = Math.random): Filter {
  return (request, response, next) => {
    if (request.httpVersionMajor === 2 && random() < chance) closeSession(response);
    next();
  };
}
