import { proof } from '../api/session.ts';

/** What a command prints and how it ends. */
export interface Execution {
  readonly kind: 'out' | 'error' | 'end';
  readonly text: string;
}

/** The channels of a stream, in the first byte of each message: https://kubernetes.io/docs/reference/using-api/api-concepts/#websockets */
const channels = { out: 1, error: 2, status: 3 } as const;
const protocol = 'v5.channel.k8s.io';

interface ExecStatus {
  readonly status?: string;
  readonly message?: string;
}

/**
 * Runs a command line in a container by its shell, as `kubectl exec POD -c CONTAINER -- sh -c COMMAND` does, and calls `show` with what it prints. `path` is
 * that of the pod. Resolves when the command has ended, or the signal aborts. Rejects with Error when the connection is refused or lost.
 */
export function execute(
  path: string,
  container: string,
  command: string,
  show: (execution: Execution) => void,
  signal: AbortSignal,
): Promise<void> {
  const query = new URLSearchParams({ container, stdout: 'true', stderr: 'true' });
  for (const word of ['sh', '-c', command]) query.append('command', word);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const url = `ws://${location.host}${path}/exec?${query.toString()}`;
  const socket = new WebSocket(url, [protocol, `apichain-console-proof.${proof()}`]);
  socket.binaryType = 'arraybuffer';
  const decoders = { out: new TextDecoder(), error: new TextDecoder() };
  let isOpen = false;
  socket.onopen = () => {
    isOpen = true;
  };
  socket.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => {
    const bytes = new Uint8Array(data);
    const [channel] = bytes;
    const content = bytes.subarray(1);
    if (channel === channels.out) show({ kind: 'out', text: decoders.out.decode(content, { stream: true }) });
    else if (channel === channels.error)
      show({ kind: 'error', text: decoders.error.decode(content, { stream: true }) });
    else if (channel === channels.status) show({ kind: 'end', text: endText(new TextDecoder().decode(content)) });
  };
  socket.onclose = () => {
    if (isOpen || signal.aborted) resolve();
    else reject(new Error(refused));
  };
  signal.addEventListener('abort', () => socket.close(), { once: true });
  return promise;
}

/** Browsers tell scripts nothing about why a WebSocket was refused. */
const refused =
  'The connection was refused. The pod may not run, or you may not run commands in it: that takes the verb create on pods/exec.';

/** The end of a command, by the Status that the kubelet sends. */
function endText(status: string): string {
  const { status: result, message } = JSON.parse(status) as ExecStatus;
  return result === 'Success' ? '' : (message ?? 'the command has failed');
}
