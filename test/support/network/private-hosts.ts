const words = (text: string) => text.trim().split(/\s+/);

/** Hosts that resolve to this machine or to its network, in the notations that a URL allows. */
export const privateHosts = [
  ...words(`
    127.0.0.1 127.1 127.0.1 127.255.255.254 127.0.0.1. 127.1. 2130706433 017700000001 0177.0.0.1 0177.0.0.01
    0x7f.0.0.1 0x7f.1 0x7f000001 0X7F.0x0.0x0.0x1 0x7f.0.0x1 %31%32%37.0.0.1 127%2e0%2e0%2e1
    0 0.0.0.0 0x0 00000000000 0.0.0.1 10.0.0.1 10.1 167772161 172.16.0.1 172.31.255.255
    192.168.1.1 192.168.257 3232235777 169.254.169.254 169.254.43518 2852039166 0xa9fea9fe 0251.0376.0251.0376
    100.64.0.1 100.127.255.255 192.0.0.1 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1
    239.255.255.255 240.0.0.1 255.255.255.255
    [::1] [0:0:0:0:0:0:0:1] [0000::0001] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [::7f00:1]
    [::ffff:0:127.0.0.1] [::ffff:10.0.0.1] [::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [64:ff9b::127.0.0.1]
    [64:ff9b::a9fe:a9fe] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2002:a9fe:a9fe::1] [2001::1] [2001:0:7f00:1::]
    [2001:db8::1] [2001:2::1] [3fff::1] [100::1] [fc00::1] [fd00:ec2::254] [fe80::1] [fec0::1] [ff02::1] [5f00::1]
    localhost LOCALHOST localhost. ⓛⓞⓒⓐⓛⓗⓞⓢⓣ local%68ost 127。0。0。1 127。0.0。1 ①②⑦.⓪.⓪.①`),
  // Full-width digits and dots.
  '\uff11\uff12\uff17.\uff10.\uff10.\uff11',
  '\uff11\uff12\uff17\uff0e\uff10\uff0e\uff10\uff0e\uff11',
  '127\uff610\uff610\uff611',
];

/** The same behind credentials, and IPv6 addresses with zone ids, which URLs do not allow. */
export const rejectedHosts = [
  ...['127.0.0.1', '[::1]', 'localhost', '2130706433'].flatMap((host) =>
    words('user@ user:secret@ partner.example@ partner.example:443@ :@').map((user) => `${user}${host}`),
  ),
  ...words('[::1%25lo] [::1%lo] [fe80::1%25eth0] [fe80::1%251] [::ffff:127.0.0.1%25lo] [::1%00]'),
];
