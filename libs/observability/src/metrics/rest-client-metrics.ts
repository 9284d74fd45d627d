import type { Transport } from '@apichain/client';
import { oncePerObject } from '@apichain/meta';
import { Counter, Histogram, type Registry } from 'prom-client';

type CountTransport = (transport: Transport, host: string) => Transport;

/**
 * The metrics `rest_client_*` of the requests that a server itself makes, to the API of its chain or to a core API. The returned function counts
 * those of a transport to `host`, such as `127.0.0.1:6443`. All clients of a registry share the metrics. Source:
 * k8s.io/component-base/metrics/prometheus/restclient.
 */
export const restClientMetrics = oncePerObject((registry: Registry): CountTransport => {
  const registers = [registry];
  const requests = new Counter({
    name: 'rest_client_requests_total',
    help: 'Requests of the clients in the server, by status code, method and host.',
    labelNames: ['code', 'method', 'host'],
    registers,
  });
  const durations = new Histogram({
    name: 'rest_client_request_duration_seconds',
    help: 'How long it took until the response to a request of a client in the server began, in seconds.',
    labelNames: ['verb', 'host'],
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
    registers,
  });
  return (transport, host) => ({
    async send(request) {
      const { method } = request;
      const began = performance.now();
      let code = '<error>';
      try {
        const response = await transport.send(request);
        code = String(response.status);
        return response;
      } finally {
        requests.inc({ code, method, host });
        durations.observe({ verb: method, host }, (performance.now() - began) / 1000);
      }
    },
    close: () => transport.close(),
  });
});
