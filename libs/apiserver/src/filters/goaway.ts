import { closeSession } from './close-session.ts';
import type { Filter } from '@apichain/request';

/** `--goaway-chance`: closes HTTP/2 connections at random, so that their clients reconnect through the load balancer. */
export function goaway(chance: number, random: () => number = Math.random): Filter {
  return (request, response, next) => {
    if (request.httpVersionMajor === 2 && random() < chance) closeSession(response);
    next();
  };
}
