import type { HttpTransportOptions } from '@apichain/client';
import { readDescription, Server } from '../servers/server.ts';
import { cleanUp } from './clean-up.ts';
import { Client } from './client.ts';
import type { Options, ServerChoice } from './options.ts';
import type { ComparedServer } from './report.ts';
import { valueAt } from './scenario.ts';

const wantedVersion = { major: '1', minor: '36' };

/** A server under test: its client, and how to restore its previous state. */
export interface OpenServer extends ComparedServer {
  readonly client: Client;
  /** The user name of the client. */
  readonly administrator: string;
  close(): Promise<void>;
}

/**
 * Connects to a server or starts it. Closing it deletes the created objects, or stops the server if it was started.
 * Throws Error when the server cannot be reached, or when its version is not the compared one.
 */
export async function open(choice: ServerChoice, options: Options): Promise<OpenServer> {
  const { connection, stop } = await connect(choice, options);
  const client = new Client(connection);
  const close = async () => {
    if (stop === undefined) await leaveAsFound(client);
    await client.close();
    await stop?.();
  };
  try {
    const version = await versionOf(client, options.anyVersion);
    return { name: choice.name, version, client, administrator: await userOf(client), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function connect(
  choice: ServerChoice,
  { etcdBinary }: Options,
): Promise<{ readonly connection: HttpTransportOptions; readonly stop?: () => Promise<void> }> {
  if ('running' in choice) return { connection: choice.running };
  const server = await Server.start({ command: readDescription('chain', choice.file).command, etcdBinary });
  return { connection: server.connection, stop: () => server.stop() };
}

async function versionOf(client: Client, isAny: boolean): Promise<string> {
  const { status, body } = await client.send({ method: 'GET', path: '/version', headers: {} });
  if (status !== 200) throw new Error(`${client.url}/version returns ${status}`);
  const { major, minor, gitVersion = '' } = body as { major?: string; minor?: string; gitVersion?: string };
  if (!isAny && (major !== wantedVersion.major || minor !== wantedVersion.minor))
    throw new Error(
      `${client.url} is ${gitVersion}, not ${wantedVersion.major}.${wantedVersion.minor} (see --any-version)`,
    );
  return gitVersion;
}

async function userOf(client: Client): Promise<string> {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const headers = { 'content-type': 'application/json' };
  const { status, body } = await client.send({ method: 'POST', path, headers, body: JSON.stringify(review) });
  const user = valueAt(body, 'status.userInfo.username');
  if (typeof user !== 'string') throw new Error(`${client.url} does not say who its administrator is: ${status}`);
  return user;
}

async function leaveAsFound(client: Client): Promise<void> {
  const left = await cleanUp(client);
  if (left.length > 0) console.error(`${client.url} still has ${left.length} objects of this run: ${left.join(' ')}`);
}
