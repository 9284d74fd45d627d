/** As kube-apiserver's client: a dead peer is noticed after 40 seconds even if nothing is sent. */
const keepaliveTime = 30_000;
const keepaliveTimeout = 10_000;

interface Session {
  /** Calls back when the peer has answered. */
  ping(answered: () => void): void;
  destroy(cause: Error): void;
}

/** Destroys a session whose peer no longer answers. The answer ends that. */
export function keepAlive(session: Session): () => void {
  const ping = () => {
    const timer = setTimeout(() => session.destroy(new Error('etcd does not answer')), keepaliveTimeout);
    timer.unref();
    session.ping(() => clearTimeout(timer));
  };
  const timer = setInterval(ping, keepaliveTime);
  timer.unref();
  return () => clearInterval(timer);
}
