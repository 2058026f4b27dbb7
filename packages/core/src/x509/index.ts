export { createCertificateAuthority, issueClientCertificate, issueServerCertificate, signCertificate } from './certificate.js';
export type { CertificateAuthority, IssuedCertificate, SignOptions } from './certificate.js';
export { createCsr, parseCsr } from './csr.js';
export type { ParsedCsr } from './csr.js';
export type { CertificateUsage } from './extensions.js';
export { exportPrivateKey, importPrivateKey } from './keys.js';
export { decodePem, encodePem } from './pem.js';
export { readCertificate, readCertificates } from './read-certificate.js';
export type { Subject } from './subject.js';
