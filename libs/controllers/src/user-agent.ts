/** The header `User-Agent` of the controllers: the name of the program whose place they take. */
export const controllersUserAgent = 'kube-controller-manager/v1.36.0 (apichain)';
