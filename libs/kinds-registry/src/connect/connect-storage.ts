import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connecter, ResourceInfo } from '@apichain/apiserver';
import type { RequestContext } from '@apichain/request';
import type { Type } from '@apichain/scheme';
import type { ConnectParts } from './checks.ts';

/** The name and the parts of a subresource. */
export interface ConnectDefinition {
  readonly path: string;
  readonly info: ResourceInfo;
  readonly type: Type;
  readonly connectMethods: readonly string[];
}

/** A subresource that connects the client to a server outside of the API. */
export abstract class ConnectStorage implements Connecter {
  readonly path: string;
  readonly info: ResourceInfo;
  readonly type: Type;
  readonly connectMethods: readonly string[];
  readonly connectOptions: Type;
  protected readonly parts: ConnectParts;

  constructor({ path, info, type, connectMethods }: ConnectDefinition, parts: ConnectParts) {
    this.path = path;
    this.info = info;
    this.type = type;
    this.connectMethods = connectMethods;
    this.connectOptions = type;
    this.parts = parts;
  }

  abstract connect(
    ctx: RequestContext,
    name: string,
    subpath: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void>;
}
